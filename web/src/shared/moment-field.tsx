import { type MantineStyleProps, TextInput } from '@mantine/core';
import { useZone } from '../app/preferences';
import { text } from '../text';
import { fromField, toField } from './moment';

interface MomentFieldProps extends Pick<MantineStyleProps, 'w'> {
  readonly label: string;
  readonly value: string | number | undefined | null;
  readonly onMoment: (iso: string | undefined) => void;
  readonly unit?: 'minute' | 'second';
  readonly error?: string | undefined;
  /** Enter was pressed, or the field is left. */
  readonly onDone?: () => void;
}

/** A field for a moment, in the zone that the reader chose; it is kept in UTC. */
export function MomentField({ label, value, onMoment, unit = 'minute', error, onDone, w }: MomentFieldProps) {
  const zone = useZone();
  return (
    <TextInput
      label={text.units.inZone(label, zone)}
      w={w}
      type="datetime-local"
      step={unit === 'second' ? 1 : undefined}
      value={toField(value, zone, unit)}
      error={error}
      onChange={(event) => onMoment(fromField(event.currentTarget.value, zone))}
      onBlur={onDone}
      onKeyDown={(event) => event.key === 'Enter' && onDone?.()}
    />
  );
}
