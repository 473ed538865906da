export interface DeviceAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  readonly body: any;
}

/** Longer than a poll is held. */
const ANSWER_MS = 90_000;

/** A call of a device with its token. @param base of the API that it calls @param path below `/api/v1/edge` */
export async function callOfDevice(
  base: string,
  token: string,
  method: string,
  path: string,
  json?: object,
): Promise<DeviceAnswer> {
  const answer = await fetch(`${base}/api/v1/edge${path}`, {
    method,
    headers: { 'x-edge-token': token, ...(json && { 'content-type': 'application/json' }) },
    body: json === undefined ? null : JSON.stringify(json),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get('content-type')?.includes('application/json') === true;
  return {
    ...{ status: answer.status, bytes },
    body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : null,
  };
}
