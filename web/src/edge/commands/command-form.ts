const TYPE_FORM = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

export const isCommandType = (type: string): boolean => TYPE_FORM.test(type.trim());

/** Arguments as somebody typed them; nothing is no arguments. @returns null when they are no JSON object */
export function argsOf(typed: string): Record<string, unknown> | null {
  if (typed.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(typed);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
