import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { Agent, type Dispatcher } from 'undici';
import { AppError, notFound } from '../../core/errors/app-error.js';
import { sendBody } from '../http/answers/send-body.js';
import { whenClientLeaves } from '../http/routing/request-context.js';
import type { EndpointRow } from '../../models/serving/serving.types.js';
import {
  MAX_INVOCATION_BYTES,
  mayProxy,
  requestHeaders,
  responseHeaders,
} from '../../models/serving/proxy.rules.js';

const CONNECT_MS = 2_000;
/** Until the first byte of the answer, and between two of its parts. */
const ANSWER_MS = 60_000;

/** The endpoint as the proxy needs it: its row with the credential opened. */
export interface ProxyTarget {
  readonly endpoint: EndpointRow;
  readonly credential: string;
}

/** Passes a few exact paths on to the instances of an endpoint, in turn; bytes flow through both ways unchanged. */
export class ServingProxy {
  private readonly agent = new Agent({
    connections: 64,
    connect: { timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    keepAliveTimeout: 10_000,
  });
  private turn = 0;

  /** @throws AppError not_found for every other path */
  assertPath(req: Request, path: string): void {
    if (!mayProxy(req.method, path)) throw notFound('Path of the inference server');
  }

  /**
   * @param onLost called when an instance does not answer as the row says, so that the row is checked
   * @throws AppError service_unavailable while no instance answers, bad_gateway, gateway_timeout, payload_too_large
   */
  async forward(
    req: Request,
    path: string,
    { endpoint, credential }: ProxyTarget,
    onLost: () => void,
  ): Promise<void> {
    const res = req.res as Response;
    const body = new RequestBody(req);
    const signal = whenClientLeaves(req);
    const answer = await this.ask(endpoint, { path, req, body, credential, signal }, onLost).finally(() =>
      body.leave(res),
    );
    if (answer === null) return;
    if (answer.statusCode === 401) {
      // Only the platform's credential is asked for: another program answers on that port.
      await answer.body.dump();
      onLost();
      throw new AppError(
        'bad_gateway',
        'The inference server did not recognise the platform; its state is being checked. Try again.',
        null,
        { retryAfterS: 2 },
      );
    }
    res.status(answer.statusCode);
    for (const [name, value] of Object.entries(responseHeaders(answer.headers))) res.setHeader(name, value);
    if (req.method === 'HEAD') return void answer.body.dump().then(() => res.end());
    await sendBody(req, async () => answer.body);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** Asks one instance after the other until one takes the request. Null when the caller went away. */
  private async ask(
    endpoint: EndpointRow,
    call: Call,
    onLost: () => void,
  ): Promise<Dispatcher.ResponseData | null> {
    const { instances } = endpoint;
    if (instances.length === 0 || endpoint.wish === 'delete') throw notRunning(endpoint);
    this.turn = (this.turn + 1) % Number.MAX_SAFE_INTEGER;
    for (let tried = 0; ; tried += 1) {
      try {
        return await this.send(instances[(this.turn + tried) % instances.length] as string, call);
      } catch (error) {
        if (call.signal.aborted) return null;
        if (call.body.problem) throw call.body.problem;
        onLost();
        // What has been partly read cannot be sent again.
        if (call.body.isBegun || tried + 1 >= instances.length) throw gatewayError(error);
      }
    }
  }

  private send(
    origin: string,
    { path, req, body, credential, signal }: Call,
  ): Promise<Dispatcher.ResponseData> {
    const isPost = req.method === 'POST';
    const headers = {
      ...requestHeaders(req.headers),
      ...body.headers,
      'x-request-id': req.context.requestId,
      authorization: `Bearer ${credential}`,
    };
    return this.agent.request({
      origin,
      path: `/${path}`,
      method: isPost ? 'POST' : 'GET',
      headers,
      body: isPost ? Readable.from(body.chunks(), { objectMode: false }) : null,
      signal,
    });
  }
}

interface Call {
  readonly path: string;
  readonly req: Request;
  readonly body: RequestBody;
  readonly credential: string;
  readonly signal: AbortSignal;
}

/** The caller's body, bounded, read only once an instance has taken the connection. */
class RequestBody {
  isBegun = false;
  private isComplete = false;
  problem: AppError | null = null;
  readonly headers: Readonly<Record<string, string>>;

  /** @throws AppError payload_too_large when the caller announces too much */
  constructor(private readonly req: Request) {
    const length = req.headers['content-length'];
    if (length !== undefined && Number(length) > MAX_INVOCATION_BYTES) throw tooLarge();
    this.headers = req.method === 'POST' && length !== undefined ? { 'content-length': length } : {};
  }

  /** What the caller still sends is thrown away, and its connection is not used again: it would stand in the next request. */
  leave(res: Response): void {
    if (!this.isBegun || this.isComplete) return;
    if (!res.headersSent) res.setHeader('Connection', 'close');
    res.once('finish', () => this.req.resume());
  }

  async *chunks(): AsyncGenerator<Buffer> {
    this.isBegun = true;
    let size = 0;
    for await (const chunk of this.req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > MAX_INVOCATION_BYTES) {
        this.problem = tooLarge();
        throw this.problem;
      }
      yield chunk as Buffer;
    }
    this.isComplete = true;
  }
}

const tooLarge = () =>
  new AppError(
    'payload_too_large',
    `The body of an invocation may have ${MAX_INVOCATION_BYTES} bytes; send fewer images.`,
    { max_bytes: MAX_INVOCATION_BYTES },
  );

const notRunning = (endpoint: EndpointRow) =>
  new AppError(
    'service_unavailable',
    `The endpoint ${endpoint.name} is ${endpoint.status}${endpoint.status === 'RUNNING' ? ' but no instance answers' : ''}; it takes requests when it is RUNNING.`,
    { status: endpoint.status },
    { retryAfterS: 2 },
  );

function gatewayError(error: unknown): AppError {
  const code = (error as { code?: string }).code ?? '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new AppError(
      'gateway_timeout',
      `The inference server did not answer within ${ANSWER_MS / 1000} s.`,
      null,
      { cause: error },
    );
  return new AppError(
    'bad_gateway',
    'The inference server could not be reached; its state is being checked. Try again.',
    null,
    { cause: error, retryAfterS: 2 },
  );
}
