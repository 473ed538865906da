import type { Agent } from 'undici';

interface Entry {
  readonly agent: Agent;
  calls: number;
}

/** Without connections an agent holds next to nothing; they end by themselves soon after they were last used. */
const MAX_AGENTS = 200;

/** An agent for each tenant, so that no tenant waits for connections or names of another. */
export class TenantAgents {
  /** The least lately used come first. */
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly make: (tenantId: string) => Agent,
    private readonly max = MAX_AGENTS,
  ) {}

  /** Runs a call with the agent of the tenant. A body that is still read afterwards is read to its end. */
  async during<T>(tenantId: string, call: (agent: Agent) => Promise<T>): Promise<T> {
    const entry = this.entries.get(tenantId) ?? { agent: this.make(tenantId), calls: 0 };
    this.entries.delete(tenantId);
    this.entries.set(tenantId, entry);
    entry.calls += 1;
    try {
      return await call(entry.agent);
    } finally {
      entry.calls -= 1;
      this.closeUnused();
    }
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.entries.values()].map(({ agent }) => agent.destroy()));
    this.entries.clear();
  }

  private closeUnused(): void {
    for (const [tenantId, { agent, calls }] of this.entries) {
      if (this.entries.size <= this.max) return;
      if (calls > 0) continue;
      this.entries.delete(tenantId);
      void agent.close();
    }
  }
}
