/** Why a runtime may not be used that nobody switched on. */
export const offReason = (runtime: string, license: string): string =>
  `The runtime ${runtime} (${license}) is off: read its NOTICE, then name it in the setting SERVICE_RUNTIMES.`;
