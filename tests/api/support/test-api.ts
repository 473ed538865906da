import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ensureInitialAccounts } from '../../../api/accounts/initial-accounts.js';
import { type Container, createContainer } from '../../../api/container.js';
import { createApp, createHttpServer } from '../../../api/server.js';
import type { RouteTable } from '../../../api/http/routing/route-table.js';
import { parseSettings } from '../../../core/config/settings.js';
import { createLogger } from '../../../core/logging/logger.js';
import { bypassingRole, type TestDatabase, testEnvironment } from '../../setup/engines.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed when the answer is JSON, else null. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string | null;
  readonly tenant?: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a form. */
  readonly form?: Record<string, string>;
  readonly body?: string | Buffer | ReadableStream<Uint8Array>;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

export interface TestTenant {
  readonly id: string;
  readonly code: string;
}

/** The API in this process, on a port and a database of its own, with its first global administrator signed in. */
export interface TestApi {
  readonly base: string;
  readonly container: Container;
  readonly routes: RouteTable;
  readonly database: TestDatabase;
  /** What a worker process beside it is set up by. */
  readonly env: Readonly<Record<string, string>>;
  readonly admin: TestUser;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  signIn(email: string, password: string): Promise<string>;
  addTenant(code?: string): Promise<TestTenant>;
  /** An account with a role in each given tenant. */
  addUser(roles?: Readonly<Record<string, string>>): Promise<TestUser>;
  close(): Promise<void>;
}

const PASSWORD = 'correct horse 4711';
const unique = () => randomBytes(5).toString('hex');

/** Which of the two walls between tenants stand. `filter` alone: the app role bypasses row-level security. */
export type Walls = 'both' | 'row-level security alone' | 'filter alone';

export async function startTestApi(
  overrides: Readonly<Record<string, string>> = {},
  walls: Walls = 'both',
): Promise<TestApi> {
  const { env, database, remove } = await testEnvironment();
  const bypass = walls === 'filter alone' ? await bypassingRole(database) : null;
  if (bypass !== null) env.DATABASE_URL = bypass.url;
  const adminEmail = `root-${unique()}@example.com`;
  const settings = parseSettings({
    ...env,
    SERVICE_INIT_ADMIN_EMAIL: adminEmail,
    SERVICE_INIT_ADMIN_PASSWORD: PASSWORD,
    ...overrides,
  });
  const { logger } = createLogger({ name: 'test', level: process.env.TEST_LOG ?? 'fatal', file: null });
  const container = await createContainer(settings, logger, {
    hasTenantFilter: walls !== 'row-level security alone',
  });
  await ensureInitialAccounts(container);
  const { app, routes } = createApp(container);
  const server = createHttpServer(app, logger);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = caller(base);
  const signIn = async (email: string, password: string) =>
    (await call('POST', '/auth/jwt/login', { form: { username: email, password } })).body
      .access_token as string;
  const adminToken = await signIn(adminEmail, PASSWORD);
  const adminId = (await call('GET', '/users/me', { token: adminToken })).body.id as string;

  const addTenant = async (code = `t-${unique()}`): Promise<TestTenant> => {
    const answer = await call('POST', '/api/v1/settings/tenants', {
      token: adminToken,
      json: { code, name: `Tenant ${code}` },
    });
    if (answer.status !== 201) throw new Error(`tenant ${code}: ${answer.text}`);
    return { id: answer.body.id as string, code };
  };

  const addUser = async (roles: Readonly<Record<string, string>> = {}): Promise<TestUser> => {
    const email = `user-${unique()}@example.com`;
    const registered = await call('POST', '/auth/register', { json: { email, password: PASSWORD } });
    const id = registered.body.id as string;
    for (const [tenant_code, role] of Object.entries(roles))
      await call('PATCH', `/api/v1/system/users/${id}/role`, {
        token: adminToken,
        json: { tenant_code, role },
      });
    return { id, email, password: PASSWORD, token: await signIn(email, PASSWORD) };
  };

  return {
    base,
    container,
    routes,
    database,
    env: { ...env, ...overrides, SERVICE_BASE_URL: base },
    admin: { id: adminId, email: adminEmail, password: PASSWORD, token: adminToken },
    call,
    signIn,
    addTenant,
    addUser,
    async close() {
      await closeServer(server);
      await container.close();
      await remove();
      await bypass?.drop();
    },
  };
}

/** A second API process in effect, over the same database, store and secrets. */
export async function startApiBeside(api: TestApi): Promise<{
  readonly base: string;
  readonly call: TestApi['call'];
  readonly container: Container;
  close(): Promise<void>;
}> {
  const { logger } = createLogger({
    name: 'test-beside',
    level: process.env.TEST_LOG ?? 'fatal',
    file: null,
  });
  const container = await createContainer(parseSettings({ ...api.env }), logger);
  const server = createHttpServer(createApp(container).app, logger);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    call: caller(base),
    container,
    async close() {
      await closeServer(server);
      await container.close();
    },
  };
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

function caller(base: string): TestApi['call'] {
  return async (method, path, options = {}) => {
    const headers: Record<string, string> = { ...options.headers };
    if (options.token) headers.authorization = `Bearer ${options.token}`;
    if (options.tenant !== undefined) headers['x-tenant'] = options.tenant;
    if (options.json !== undefined) headers['content-type'] = 'application/json';
    const body = (
      options.json !== undefined
        ? JSON.stringify(options.json)
        : options.form
          ? new URLSearchParams(options.form)
          : options.body
    ) as RequestInit['body'];
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      body,
      redirect: 'manual',
      ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  };
}
