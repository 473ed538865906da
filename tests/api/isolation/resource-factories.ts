import { DATASET_FACTORY } from '../datasets/support/dataset-factory.js';
import { MODEL_FACTORY } from '../registry/support/model-factory.js';
import { ENDPOINT_FACTORY } from '../serving/endpoint-factory.js';
import { EXPERIMENT_FACTORY, RUN_FACTORY } from '../training/support/training-factories.js';
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
import type { ResourceFactory } from '../support/resource-factory.js';

/**
 * One entry for each kind of resource a tenant owns. A new operation with a path parameter needs one here, or a named
 * exemption below; the isolation suite fails until it has.
 */
export const RESOURCE_FACTORIES: readonly ResourceFactory[] = [DATASET_FACTORY, MODEL_FACTORY, ENDPOINT_FACTORY, EXPERIMENT_FACTORY, RUN_FACTORY];

/** Operations with path parameters that name no resource of a tenant, each with the reason. */
export const EXEMPT: Readonly<Record<string, string>> = {};

export const factoryOf = (path: string): ResourceFactory | undefined =>
  RESOURCE_FACTORIES.filter((factory) => path.startsWith(factory.prefix)).sort((a, b) => b.prefix.length - a.prefix.length)[0];
