import { ADMIN } from './platform.js';

export interface BenchTenant {
  readonly id: string;
  readonly code: string;
  readonly adminToken: string;
}

type Call = (method: string, path: string, json?: unknown) => Promise<Record<string, unknown>>;

/** Calls the platform with a bearer token. @throws Error for any answer but a success */
export const callerOf =
  (baseUrl: string, token: string | null): Call =>
  async (method, path, json) => {
    const headers: Record<string, string> = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };

/** @returns a bearer token */
export async function signInFor(baseUrl: string, email: string, password: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/auth/jwt/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: email, password }),
  });
  if (answer.status !== 200) throw new Error(`sign-in of ${email}: ${answer.status}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** A tenant with datasets to be listed. */
export async function addBenchTenant(baseUrl: string, datasets: number): Promise<BenchTenant> {
  const adminToken = await signInFor(baseUrl, ADMIN.email, ADMIN.password);
  const call = callerOf(baseUrl, adminToken);
  const { id } = await call('POST', '/api/v1/settings/tenants', { code: 'bench', name: 'Bench' });
  for (let n = 0; n < datasets; n += 1)
    await call('POST', '/api/v1/datasets?tenant=bench', { id: `set-${n}`, name: `Set number ${n}` });
  return { id: String(id), code: 'bench', adminToken };
}

/** An account with a role in the tenant. */
export async function addBenchUser(
  baseUrl: string,
  tenant: BenchTenant,
  name: string,
  role: string,
): Promise<{ id: string; token: string; email: string; password: string }> {
  const [email, password] = [`${name}@example.com`, 'a long passphrase for the bench 2'];
  const { id } = await callerOf(baseUrl, tenant.adminToken)('POST', '/api/v1/system/users/create', {
    email,
    password,
    tenant_code: tenant.code,
    role,
  });
  return { id: String(id), token: await signInFor(baseUrl, email, password), email, password };
}
