import { PasswordInput } from '@mantine/core';
import { text } from '../text';

interface PasswordFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** A password that is chosen here: with the rules beside it, and known as new to password managers. */
export function NewPasswordField({ label, value, onChange, autoFocus }: PasswordFieldProps) {
  return (
    <PasswordInput
      label={label}
      description={text.people.reset.hint}
      name="new-password"
      autoComplete="new-password"
      minLength={8}
      maxLength={128}
      required
      autoFocus={autoFocus}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
