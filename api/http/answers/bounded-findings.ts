import { AppError, type FieldError, MAX_FIELD_ERRORS } from '../../../core/errors/app-error.js';
import { firstCharacters } from '../../../core/text/line-text.js';

/** What a 422 body may have is 64 KiB; the rest is for its other fields. */
const MAX_DETAIL_BYTES = 60 * 1024;
const MAX_PLACE = 200;
const MAX_MESSAGE = 500;

const cut = (text: string, most: number): string => {
  const short = firstCharacters(text, most);
  return short.length < text.length ? `${short}…` : text;
};

/** The first findings that fit into an answer; the names and texts that a request brought are cut. */
export function boundedFindings(findings: readonly FieldError[]): FieldError[] {
  let bytes = 0;
  return findings
    .slice(0, MAX_FIELD_ERRORS)
    .map(({ loc, msg, type }) => ({
      loc: loc.map((part) => (typeof part === 'string' ? cut(part, MAX_PLACE) : part)),
      msg: cut(msg, MAX_MESSAGE),
      type,
    }))
    .filter((finding) => {
      bytes += Buffer.byteLength(JSON.stringify(finding)) + 1;
      return bytes <= MAX_DETAIL_BYTES;
    });
}

/** The same of a refusal whose form its sender chose: what came in must not come back many times over. */
export function boundedError(error: AppError): AppError {
  if (error.code !== 'unprocessable_entity') return error;
  const detail = Array.isArray(error.detail) ? boundedFindings(error.detail) : null;
  return new AppError(error.code, cut(error.message, MAX_MESSAGE), detail, error.options);
}
