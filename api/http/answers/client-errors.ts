import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../../core/logging/logger.js';

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
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    code: 'payload_too_large',
    message: 'The extensions of a chunk may have 16 KiB; send none.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    message: 'The request did not arrive in time; send it again.',
  },
};
const EXPECTATION: Refusal = {
  status: '417 Expectation Failed',
  code: 'expectation_failed',
  message: 'Only "Expect: 100-continue" is known here; leave the header out.',
};
const MALFORMED: Refusal = {
  status: '400 Bad Request',
  code: 'bad_request',
  message:
    'The request is not well-formed HTTP; in its address, other letters than those of ASCII are percent-encoded.',
};

/** Answers what is refused on the way in as every other refusal is answered, and ends the connection. */
export function answerClientError(logger: Logger): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = REFUSALS[error.code ?? ''] ?? MALFORMED;
    const { headers, body } = answerOf(refusal, logger);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${refusal.status}\r\n${lines.join('')}\r\n${body}`);
  };
}

/** Answers a request that expects something else than `100 Continue`. */
export const answerExpectation =
  (logger: Logger): RequestListener =>
  (_req, res) => {
    const { headers, body } = answerOf(EXPECTATION, logger);
    res.writeHead(417, headers).end(body);
  };

function answerOf(
  { status, code, message }: Refusal,
  logger: Logger,
): { headers: Record<string, string>; body: string } {
  const errorId = randomUUID();
  logger.info({ error_id: errorId, code, status: Number(status.slice(0, 3)) }, message);
  const body = JSON.stringify({ error_id: errorId, code, message, detail: null });
  return {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      Connection: 'close',
    },
    body,
  };
}
