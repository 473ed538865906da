import type { Request } from 'express';
import type { Multer } from 'multer';
import { type BodyLimit, requireWithin } from '../bodies/body-limit.js';

/** What a form may hold beside its file. */
const FORM_BYTES = 65_536;

/** All forms of a parser. @param limitOf what the file may have: a form that is larger is not read at all */
export function limitedForms(forms: Multer, limitOf: (req: Request) => BodyLimit): Multer {
  const fields = forms.fields.bind(forms);
  forms.fields = (names) => {
    const parse = fields(names);
    return (req, res, next) => {
      const { maxBytes, tooLarge } = limitOf(req);
      requireWithin(req, { maxBytes: maxBytes + FORM_BYTES, tooLarge });
      return parse(req, res, next);
    };
  };
  return forms;
}
