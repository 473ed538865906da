import { type Gate, Stopped } from './gate';
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

interface Ground {
  readonly tenant: string;
  /** Id of whose upload it is. */
  readonly person: string;
  readonly fetch: typeof fetch;
  readonly gate: Gate;
  readonly onWait: (wait: Wait | null) => void;
}

/** Calls of the API that are tried until the platform answers. */
export class PlatformCalls {
  constructor(private readonly ground: Ground) {}

  /**
   * @param body made anew for each try
   * @throws Refused for an answer that no repeat changes
   * @throws Stopped also when somebody else has signed in
   */
  async call<T>(method: string, path: string, body?: () => RequestInit): Promise<T> {
    const { ground } = this;
    for (let failures = 0; ; ) {
      await ground.gate.pass();
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
      await ground.gate.sleep(ms);
      if (reason === 'signedOut') await this.heedNewPerson();
    }
  }

  /** An upload goes on after a new sign-in of its own person, and is nobody else's. @throws Stopped */
  private async heedNewPerson(): Promise<void> {
    const { fetch, gate, person } = this.ground;
    const answer = await fetch('/users/me', { credentials: 'same-origin', signal: gate.signal }).catch(
      () => null,
    );
    if (!answer?.ok) return;
    const { id } = (await answer.json()) as { id: string };
    if (id !== person) gate.stop();
  }

  private async send(method: string, path: string, init: RequestInit): Promise<Response | null> {
    const { tenant, gate, fetch } = this.ground;
    try {
      return await fetch(path, {
        ...init,
        method,
        signal: gate.signal,
        credentials: 'same-origin',
        headers: { ...init.headers, 'X-Tenant': tenant },
      });
    } catch (error) {
      if (gate.isStopped) throw new Stopped();
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
