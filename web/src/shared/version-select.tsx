import { useTenant } from '../app/session';
import { text } from '../text';
import { modelOffers, type Offer, versionOffers } from './choices/offers';
import { SearchSelect } from './choices/search-select';

interface ModelSelectProps {
  readonly label: string;
  readonly nothingFound: string;
  /** Empty: none is chosen. */
  readonly value: string;
  readonly onChange: (model: string) => void;
}

/** A model of the tenant. */
export function ModelSelect({ label, nothingFound, value, onChange }: ModelSelectProps) {
  return (
    <SearchSelect
      label={label}
      required
      nothingFound={nothingFound}
      offers={modelOffers(useTenant())}
      value={value || null}
      onChange={(model) => onChange(model ?? '')}
    />
  );
}

interface VersionSelectProps {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly model: string;
  readonly value: string;
  readonly onChange: (version: string) => void;
  readonly isRequired?: boolean;
  /** False where one is always chosen. */
  readonly mayBeNone?: boolean;
  /** Offered before the versions. */
  readonly first?: readonly Offer[];
  readonly w?: number;
}

/** A version of the model that is chosen. */
export function VersionSelect(props: VersionSelectProps) {
  const {
    label,
    hint,
    placeholder,
    model,
    value,
    onChange,
    isRequired = false,
    mayBeNone = true,
    first,
    w,
  } = props;
  const known = first?.find((offer) => offer.value === value)?.label;
  return (
    <SearchSelect
      label={label}
      description={hint}
      placeholder={placeholder}
      w={w}
      required={isRequired}
      disabled={model === ''}
      clearable={!isRequired && mayBeNone}
      allowDeselect={mayBeNone}
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(label) }}
      offers={versionOffers(useTenant(), model)}
      {...(first && { first })}
      value={value || null}
      valueLabel={known ?? (value === '' ? undefined : text.models.version(Number(value)))}
      onChange={(version) => onChange(version ?? '')}
    />
  );
}
