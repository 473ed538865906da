import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { contentDisposition } from './content-disposition.js';
import { sendBody } from './send-body.js';

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
  const setHead = () => {
    res.setHeader('Content-Type', download.mediaType);
    res.setHeader('Content-Disposition', contentDisposition('attachment', download.fileName));
    res.setHeader('Cache-Control', 'private, no-cache');
    if (download.sizeBytes !== null) res.setHeader('Content-Length', String(download.sizeBytes));
    res.status(200);
  };
  if (req.method === 'HEAD') {
    setHead();
    return void res.end();
  }
  await sendBody(req, async (left) => {
    const body = await download.open(left);
    setHead();
    return body;
  });
}
