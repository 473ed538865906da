import { z } from 'zod';

export interface SettingDoc {
  readonly text: string;
  readonly secret?: boolean;
  readonly requiredInProduction?: boolean;
}

export const doc = <T extends z.ZodType>(schema: T, meta: SettingDoc): T => schema.meta({ ...meta }) as T;

export const bool = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
export const int = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
