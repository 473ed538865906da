/** Locks of the browser, which go with their tab however it ends; null where the page came over a plain connection. */
const locks = (): LockManager | null => (navigator.locks as LockManager | undefined) ?? null;

/** What one tab alone does. */
export class TabLock {
  private letGo: (() => void) | null = null;

  constructor(private readonly name: string) {}

  hold(): void {
    if (this.letGo !== null) return;
    const held = new Promise<void>((resolve) => {
      this.letGo = resolve;
    });
    void locks()?.request(this.name, () => held);
  }

  release(): void {
    this.letGo?.();
    this.letGo = null;
  }
}

/** @returns whether a tab of this browser does it now */
export async function isHeld(name: string): Promise<boolean> {
  const { held = [] } = (await locks()?.query()) ?? {};
  return held.some((lock) => lock.name === name);
}

/** Waits until no tab does it any more. @throws AbortError with the signal */
export async function untilFree(name: string, signal: AbortSignal): Promise<void> {
  await locks()?.request(name, { mode: 'shared', signal }, () => undefined);
}
