import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Asks a sender that waits for it to send the body (`100 Continue`) as soon as somebody reads it, and no sooner: what is
 * refused without being read is answered at once, and the connection ends with the answer.
 */
export function continueOnceRead(req: IncomingMessage, res: ServerResponse): void {
  const read = req._read.bind(req);
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) res.writeContinue();
    read(size);
  };
}
