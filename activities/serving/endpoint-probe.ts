const TIMEOUT_MS = 2000;

/** True when the inference server answers its health question with 200 within two seconds. */
export async function probeEndpoint(baseUrl: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(`${baseUrl}/health`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      redirect: 'error',
    });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
