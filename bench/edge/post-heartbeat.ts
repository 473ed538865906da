import { type Agent, request } from 'node:http';

export const HEARTBEAT = Buffer.from(
  JSON.stringify({ cpu: 12.5, mem: 41, disk: 70, policy_revision: 1, payload: { containers: [] } }),
);

export const heartbeatHeaders = (token: string) => ({
  'X-Edge-Token': token,
  'Content-Type': 'application/json',
});

/** @returns milliseconds until the end of the answer @throws Error for any answer but 200 */
export function postHeartbeat(agent: Agent, baseUrl: string, token: string): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { ...heartbeatHeaders(token), 'Content-Length': String(HEARTBEAT.length) };
    const url = `${baseUrl}/api/v1/edge/heartbeat`;
    const req = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(performance.now() - startedAt)
          : reject(new Error(`a heartbeat was answered by ${answer.statusCode}`)),
      );
    });
    req.on('error', reject);
    req.end(HEARTBEAT);
  });
}
