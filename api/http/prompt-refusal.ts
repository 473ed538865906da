import type { Request, RequestHandler } from 'express';
import type { Multer } from 'multer';
import { AppError } from '../../core/errors/app-error.js';
import { watchPace } from '../../core/load/least-pace.js';

/** A body that comes slower holds a connection for nothing; as for the chunks of an upload session. */
const LEAST_BYTES_PER_S = 1024;
const WINDOW_MS = 30_000;

const refusals = new WeakMap<Request, (error: unknown) => void>();

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

/** The same for all forms of a parser. */
export function refusableForms(forms: Multer): Multer {
  const fields = forms.fields.bind(forms);
  forms.fields = (names) => refusable(fields(names));
  return forms;
}

/** Answers a request whose rest may never come, and ends its connection with the answer. Nothing without `refusable`. */
export const refuseNow = (req: Request, error: unknown): void => refusals.get(req)?.(error);

/** For a refusal that its sender need not hear before the last byte: the same once the rest comes too slowly. */
export const refuseWhenSlow = (req: Request, error: unknown, windowMs = WINDOW_MS): void => {
  watchSender(req, windowMs, () => refuseNow(req, error)).start();
};

/** A parser whose sender may not be slower than the pace: 408 else, and the connection ends. */
export const paced = (parse: RequestHandler, windowMs = WINDOW_MS): RequestHandler =>
  refusable((req, res, next) => {
    const watch = watchSender(req, windowMs, () => refuseNow(req, new AppError('request_timeout', 'The body came too slowly or not at all; send it again.')));
    let isParsed = false;
    parse(req, res, (error?: unknown) => {
      isParsed = true;
      watch.stop();
      next(error);
    });
    // Only now: a listener sets the body flowing, which the parser has to be there for.
    if (!isParsed) watch.start();
  });

function watchSender(req: Request, windowMs: number, tooSlow: () => void): { start(): void; stop(): void } {
  let stop = () => {};
  const start = () => {
    const watch = watchPace({ bytesPerS: LEAST_BYTES_PER_S, windowMs }, () => !req.complete, tooSlow);
    const count = (piece: Buffer) => watch.count(piece.length);
    req.on('data', count);
    stop = () => {
      watch.stop();
      req.off('data', count);
    };
    req.once('end', stop).once('close', stop);
  };
  return { start, stop: () => stop() };
}
