import type { Request, RequestHandler } from 'express';
import type { Multer } from 'multer';
import { SENDER_WINDOW_MS, watchSender } from './sender-watch.js';

const refusals = new WeakMap<Request, (error: unknown) => void>();
const watches = new WeakMap<Request, () => void>();

/**
 * Lets a form be refused while its parser still waits for the end of the request: see `refuseNow`. What the parser says
 * of it afterwards is dropped.
 */
export const refusable =
  (parse: RequestHandler): RequestHandler =>
  (req, res, next) => {
    let isOver = false;
    const once = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      next(error);
    };
    refusals.set(req, (error) => {
      if (!isOver && !req.complete && !res.headersSent) res.setHeader('Connection', 'close');
      once(error);
    });
    return parse(req, res, once);
  };

/** All forms of a parser, each paced until its first file begins: whoever takes that calls `endPace` and judges it by itself. */
export function pacedForms(forms: Multer): Multer {
  const fields = forms.fields.bind(forms);
  forms.fields = (names) => paced(fields(names));
  return forms;
}

/** Answers a request whose rest may never come, and ends its connection with the answer. Nothing without `refusable`. */
export const refuseNow = (req: Request, error: unknown): void => refusals.get(req)?.(error);

/** For a refusal that its sender need not hear before the last byte: the same once the rest comes too slowly. */
export const refuseWhenSlow = (req: Request, error: unknown, windowMs = SENDER_WINDOW_MS): void => {
  watchSender(
    req,
    () => !req.complete,
    () => refuseNow(req, error),
    windowMs,
  );
};

/** A parser whose sender may not be slower than the pace: 408 else, and the connection ends. */
export const paced = (parse: RequestHandler, windowMs = SENDER_WINDOW_MS): RequestHandler =>
  refusable((req, res, next) => {
    let isParsed = false;
    parse(req, res, (error?: unknown) => {
      isParsed = true;
      endPace(req);
      next(error);
    });
    // Only now: a listener sets the body flowing, which the parser has to be there for.
    if (isParsed) return;
    const stop = watchSender(
      req,
      () => !req.complete,
      (error) => refuseNow(req, error),
      windowMs,
    );
    watches.set(req, stop);
  });

/** From here on the body's pace is nobody's business, or another's. */
export const endPace = (req: Request): void => watches.get(req)?.();
