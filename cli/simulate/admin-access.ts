import { type Arguments, UsageError } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { withAdministratorToken } from '../sample/sign-in.platform.js';
import { localPlatform } from '../supervisor/local-platform.js';
import type { AdminAccess } from './fleet-registry.js';
import { platformAddress } from './simulation-options.js';

export interface SimulatedPlatform {
  readonly url: string;
  readonly access: AdminAccess;
}

/**
 * Where the devices are made, and by whom: by the token in VISIONOPS_TOKEN, or by VISIONOPS_EMAIL and VISIONOPS_PASSWORD, at
 * `--url`; without an address on the platform of this machine, also by its administrator.
 * @throws UsageError, EngineError
 */
export function simulatedPlatform({ own, dataDir }: Arguments, env: NodeJS.ProcessEnv): SimulatedPlatform {
  const { VISIONOPS_TOKEN: token, VISIONOPS_EMAIL: email, VISIONOPS_PASSWORD: password } = env;
  const given = (url: string): AdminAccess | null => {
    if (token) return (work) => work(token);
    return email && password ? async (work) => work(await signIn(url, email, password)) : null;
  };
  if (own.url !== undefined) {
    const url = platformAddress(own.url);
    const access = given(url);
    if (access === null)
      throw new UsageError(
        '--url needs somebody who may change SETTINGS: VISIONOPS_EMAIL and VISIONOPS_PASSWORD, or a bearer token in VISIONOPS_TOKEN.',
      );
    return { url, access };
  }
  const { baseUrl, adminEmail } = localPlatform(dataDir, 'or name one by --url');
  return {
    url: baseUrl,
    access: given(baseUrl) ?? ((work) => withAdministratorToken(dataDir, adminEmail, work)),
  };
}

async function signIn(url: string, username: string, password: string): Promise<string> {
  const body = new URLSearchParams({ username, password });
  const answer = await fetch(`${url}/auth/jwt/login`, { method: 'POST', body }).catch((error: Error) => {
    throw new EngineError(`${url} does not answer: ${error.message}`);
  });
  if (answer.status !== 200)
    throw new EngineError(`${url} does not let ${username} in (${answer.status}): see VISIONOPS_PASSWORD.`);
  return ((await answer.json()) as { access_token: string }).access_token;
}
