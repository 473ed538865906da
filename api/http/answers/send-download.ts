import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { contentDisposition } from './content-disposition.js';

/** Bytes to be saved by the reader. */
export interface Download {
  readonly fileName: string;
  readonly mediaType: string;
  /** Null when it is not known before the end. */
  readonly sizeBytes: number | null;
  open(signal: AbortSignal): Promise<Readable>;
}

/** Streams a download as an attachment; what the reader cut off is closed at its source as well. */
export async function sendDownload(req: Request, download: Download): Promise<void> {
  const res = req.res as Response;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const body = req.method === 'HEAD' ? null : await download.open(gone.signal);
  res.setHeader('Content-Type', download.mediaType);
  res.setHeader('Content-Disposition', contentDisposition('attachment', download.fileName));
  res.setHeader('Cache-Control', 'private, no-cache');
  if (download.sizeBytes !== null) res.setHeader('Content-Length', String(download.sizeBytes));
  res.status(200);
  if (body === null) return void res.end();
  try {
    await pipeline(body, res);
  } catch (error) {
    if (!gone.signal.aborted || !res.destroyed) throw error;
  }
}
