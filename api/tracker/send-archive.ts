import type { Request, Response } from 'express';
import { contentDisposition } from '../http/answers/content-disposition.js';
import { sendBody } from '../http/answers/send-body.js';
import type { Archive } from './artifact-archive.service.js';

/** Streams an archive of unknown size; what the reader leaves is closed at the store as well. */
export async function sendArchive(
  req: Request,
  open: (signal: AbortSignal) => Promise<Archive>,
): Promise<void> {
  const res = req.res as Response;
  await sendBody(req, async (left) => {
    const { fileName, body } = await open(left);
    res.setHeader('Content-Type', 'application/zip');
    res.setHeader('Cache-Control', 'private, no-store');
    res.setHeader('Content-Disposition', contentDisposition('attachment', fileName));
    return body;
  });
}
