import { z } from 'zod';

/** What the documentation says of a setting. */
export interface SettingDoc {
  readonly text: string;
  readonly secret?: boolean;
  readonly requiredInProduction?: boolean;
}

/** A variable with what the docs say of it. */
export const doc = <T extends z.ZodType>(schema: T, meta: SettingDoc): T => schema.meta({ ...meta }) as T;

export const bool = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
export const int = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
/** An address that browsers and clients call. */
export const webUrl = z.url({ protocol: /^https?$/, error: 'must be an absolute URL of http or https' });

export const url = z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/.+/, 'must be an absolute URL');
