import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../core/logging/logger.js';

interface Refusal {
  readonly status: string;
  readonly code: string;
  readonly message: string;
}

/** What Node's reader refuses before there is a request, by its code. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'request_header_fields_too_large',
    message: 'The address and the headers together may have 16 KiB; send less.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', code: 'request_timeout', message: 'The request did not arrive in time; send it again.' },
};
const MALFORMED: Refusal = { status: '400 Bad Request', code: 'bad_request', message: 'The request is not well-formed HTTP.' };

/** Answers what is refused on the way in as every other refusal is answered, and ends the connection. */
export function answerClientError(logger: Logger): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, code, message } = REFUSALS[error.code ?? ''] ?? MALFORMED;
    const errorId = randomUUID();
    logger.info({ error_id: errorId, code, status: Number(status.slice(0, 3)) }, message);
    const body = JSON.stringify({ error_id: errorId, code, message, detail: null });
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}
