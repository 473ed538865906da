import { isPassingStatus, pauseMs } from './retry';
import type { Wait } from './upload-messages';

/** The platform's refusal of one file, in its words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly detail: unknown,
  ) {
    super(message);
  }
}

/** The upload was stopped. */
export class Stopped extends Error {}

interface Ground {
  readonly tenant: string;
  readonly fetch: typeof fetch;
  /** Resolves when the upload is not paused. @throws Stopped */
  readonly gate: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly onWait: (wait: Wait | null) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Calls of the API that are tried until the platform answers. */
export class PlatformCalls {
  constructor(private readonly ground: Ground) {}

  /**
   * @param body made anew for each try
   * @throws Refused for an answer that no repeat changes
   */
  async call<T>(method: string, path: string, body?: () => RequestInit): Promise<T> {
    const { ground } = this;
    for (let failures = 0; ; ) {
      await ground.gate();
      const init = body?.() ?? {};
      const answer = await this.send(method, path, init);
      if (answer?.ok) {
        ground.onWait(null);
        return (answer.status === 204 ? null : await answer.json()) as T;
      }
      if (answer !== null && !isPassingStatus(answer.status) && answer.status !== 401)
        throw await refusalOf(answer);
      failures += 1;
      const ms = pauseMs(failures, answer?.headers.get('retry-after') ?? null, Math.random());
      const reason = answer === null ? 'noAnswer' : answer.status === 401 ? 'signedOut' : 'busy';
      ground.onWait({ reason, until: Date.now() + ms });
      await ground.sleep(ms);
    }
  }

  private async send(method: string, path: string, init: RequestInit): Promise<Response | null> {
    const { tenant, signal, fetch } = this.ground;
    try {
      return await fetch(path, {
        ...init,
        method,
        signal,
        credentials: 'same-origin',
        headers: { ...init.headers, 'X-Tenant': tenant },
      });
    } catch (error) {
      if (signal.aborted) throw new Stopped();
      // A file that went away or changed fails like a network that is away: ask the file.
      if (init.body instanceof Blob && !(await isReadable(init.body))) throw error;
      if (init.body instanceof FormData) {
        const file = init.body.get('file');
        if (file instanceof Blob && !(await isReadable(file))) throw error;
      }
      return null;
    }
  }
}

const isReadable = (blob: Blob): Promise<boolean> =>
  blob
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

async function refusalOf(answer: Response): Promise<Refused> {
  const given = (await answer.json().catch(() => ({}))) as { message?: string; detail?: unknown };
  return new Refused(answer.status, given.message ?? `HTTP ${answer.status}`, given.detail);
}
