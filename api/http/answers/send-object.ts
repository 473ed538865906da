import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { AppError } from '../../../core/errors/app-error.js';
import { type ByteRange, parseRange } from './byte-range.js';
import { contentDisposition } from './content-disposition.js';
import { sendBody } from './send-body.js';

/** Bytes with all that a download needs to know of them. */
export interface SendableObject {
  readonly sizeBytes: number;
  /** Without quotes; names these bytes for ever. */
  readonly etag: string;
  readonly mediaType: string;
  /** False: the browser saves it and never shows it in place. */
  readonly isInline: boolean;
  readonly fileName: string;
  open(range: ByteRange | null, signal: AbortSignal): Promise<Readable>;
}

/** Answers 304 to a reader who has these bytes already. @returns whether it did */
export function sendUnchanged(req: Request, etag: string): boolean {
  const res = req.res as Response;
  res.setHeader('ETag', `"${etag}"`);
  res.setHeader('Cache-Control', 'private, no-cache');
  if (!matches(req.headers['if-none-match'], `"${etag}"`)) return false;
  res.status(304).end();
  return true;
}

/** Streams an object with Range, ETag and If-None-Match; what was cut off by the reader is closed at the store as well. */
export async function sendObject(req: Request, object: SendableObject): Promise<void> {
  const res = req.res as Response;
  const etag = `"${object.etag}"`;
  if (sendUnchanged(req, object.etag)) return;
  res.setHeader('Accept-Ranges', 'bytes');
  const range = chosenRange(req, etag, object.sizeBytes);
  res.setHeader('Content-Type', object.mediaType);
  res.setHeader(
    'Content-Disposition',
    contentDisposition(object.isInline ? 'inline' : 'attachment', object.fileName),
  );
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  if (range) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${object.sizeBytes}`);
  res.setHeader('Content-Length', String(range ? range.end - range.start + 1 : object.sizeBytes));
  res.status(range ? 206 : 200);
  if (req.method === 'HEAD' || object.sizeBytes === 0) return void res.end();
  await sendBody(req, (left) => object.open(range, left));
}

function chosenRange(req: Request, etag: string, sizeBytes: number): ByteRange | null {
  const ifRange = req.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return null;
  const range = parseRange(req.headers.range, sizeBytes);
  if (range === 'unsatisfiable')
    throw new AppError(
      'range_not_satisfiable',
      `The file has ${sizeBytes} bytes; the range lies outside.`,
      { size: sizeBytes },
      { headers: { 'Content-Range': `bytes */${sizeBytes}` } },
    );
  return range;
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag));
