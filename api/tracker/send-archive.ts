import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { contentDisposition } from '../http/answers/content-disposition.js';
import type { Archive } from './artifact-archive.service.js';

/** Streams an archive of unknown size; what the reader leaves is closed at the store as well. */
export async function sendArchive(
  req: Request,
  open: (signal: AbortSignal) => Promise<Archive>,
): Promise<void> {
  const res = req.res as Response;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const { fileName, body } = await open(gone.signal);
  res.setHeader('Content-Type', 'application/zip');
  res.setHeader('Cache-Control', 'private, no-store');
  res.setHeader('Content-Disposition', contentDisposition('attachment', fileName));
  try {
    await pipeline(body, res);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}
