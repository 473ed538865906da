const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A date-time of UTC with seconds; the day of the month apart. */
const WRITTEN = /^\d{4}-\d{2}-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

function validDate(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

/**
 * Reads an ISO 8601 date or date-time. Without an offset it is UTC, whatever the server's zone. A space before the
 * offset is read as the `+` that an unescaped query string turns into it.
 * @returns null for anything else, such as a day that does not exist
 */
export function parseInstant(text: string): Date | null {
  // As programs write it, in records above all: every month has 28 days.
  const written = WRITTEN.exec(text);
  if (written !== null && Number(written[1]) <= 28) return validDate(text);
  const match = ISO.exec(
    text
      .trim()
      .replace(/ (\d{2}:?\d{2})$/, (whole, offset: string) => (/T/i.test(text) ? `+${offset}` : whole)),
  );
  if (!match) return null;
  const [, day = '', time = '00:00', offset = 'Z'] = match;
  const zone =
    offset.toUpperCase() === 'Z' || offset.includes(':')
      ? offset.toUpperCase()
      : `${offset.slice(0, 3)}:${offset.slice(3)}`;
  const midnight = new Date(`${day}T00:00:00Z`);
  const instant = new Date(`${day}T${time.length === 5 ? `${time}:00` : time}${zone}`);
  if (Number.isNaN(midnight.getTime()) || Number.isNaN(instant.getTime())) return null;
  // Date rolls 31 February over into March.
  return midnight.toISOString().startsWith(day) ? instant : null;
}
