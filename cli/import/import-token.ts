import type { Arguments } from '../arguments.js';
import { UsageError } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { ApiClient } from '../sample/api-client.js';
import { withAdministratorToken } from '../sample/sign-in.platform.js';
import { localPlatform } from '../supervisor/local-platform.js';
import type { ServerAddress } from './tracker-server.js';

const ROLE = 'This platform';

/**
 * The tenant that is copied into: by a tracker token in VISIONOPS_TOKEN anywhere (`--to`), or on the machine of the platform
 * by a token that lives as long as the work.
 */
export async function withImportToken<T>(
  args: Arguments,
  signal: AbortSignal,
  work: (target: ServerAddress) => Promise<T>,
): Promise<T> {
  const token = process.env.VISIONOPS_TOKEN;
  if (args.own.to !== undefined) {
    if (!token) throw new UsageError('--to needs a tracker token of the tenant in VISIONOPS_TOKEN.');
    if (args.own.tenant !== undefined)
      throw new UsageError('Leave out --tenant with --to: the token belongs to a tenant.');
    return work(
      target(
        args.own.to,
        token,
        'VISIONOPS_TOKEN must hold a tracker token of somebody who may develop and register models.',
      ),
    );
  }
  const { baseUrl, adminEmail } = localPlatform(args.dataDir, 'or name one by --to');
  const tenant = args.own.tenant ?? 'demo';
  return withAdministratorToken(args.dataDir, adminEmail, async (session) => {
    const api = new ApiClient(baseUrl, session, tenant, signal);
    const body = { kind: 'tracker', tenant_code: tenant, name: 'import mlflow', expires_in_days: 7 };
    const made = await api
      .post<{ id: string; token: string }>('/users/me/tokens', body)
      .catch((error: Error) => {
        throw new EngineError(`No token for the tenant "${tenant}" (--tenant): ${error.message}`);
      });
    try {
      return await work(
        target(baseUrl, made.token, `the administrator needs a role in the tenant "${tenant}".`),
      );
    } finally {
      // Not by the client above: after an interruption it sends nothing any more.
      const headers = { authorization: `Bearer ${session}`, 'x-tenant': tenant };
      await fetch(`${baseUrl}/users/me/tokens/${made.id}`, { method: 'DELETE', headers }).catch(
        () => undefined,
      );
    }
  });
}

const target = (baseUrl: string, token: string, help: string): ServerAddress => ({
  ...{ role: ROLE, url: `${baseUrl.replace(/\/+$/, '')}/tracker`, hint: help },
  authorization: `Bearer ${token}`,
});
