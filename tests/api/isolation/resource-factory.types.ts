import type { TestApi, TestTenant, TestUser } from '../support/test-api.js';

/** Where a factory works. Texts that a tenant gives itself begin with `canary`, which no other tenant may ever read. */
export interface FactoryContext {
  readonly api: TestApi;
  readonly tenant: TestTenant;
  /** Holds role ADMIN in the tenant. */
  readonly user: TestUser;
  readonly canary: string;
}

export interface ResourceFactory {
  /** Which paths it is for: the beginning of the path up to its first parameter. */
  readonly prefix: string;
  /** Makes what the path's parameters name. @returns their values by parameter name */
  create(context: FactoryContext): Promise<Readonly<Record<string, string>>>;
  /** Well-formed values of the same kind that name nothing. */
  random(): Readonly<Record<string, string>>;
}
