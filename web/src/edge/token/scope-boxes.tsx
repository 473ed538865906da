import { Checkbox, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../text';
import { includedBy, SCOPES, type Scope } from './scope-list';

interface ScopeBoxesProps {
  readonly value: readonly Scope[];
  readonly onChange: (scopes: Scope[]) => void;
  readonly error?: ReactNode;
  readonly isDisabled?: boolean;
}

/** A box for each thing that a token may do, with what it means. */
export function ScopeBoxes({ value, onChange, error, isDisabled = false }: ScopeBoxesProps) {
  const words = text.edge.token;
  return (
    <Checkbox.Group
      label={words.scopesLabel}
      value={[...value]}
      onChange={(chosen) => onChange(SCOPES.filter((scope) => chosen.includes(scope)))}
      error={error}
    >
      <Stack gap="sm" mt="xs">
        {SCOPES.map((scope) => {
          const by = includedBy(scope, value);
          return (
            <Checkbox
              key={scope}
              value={scope}
              label={<span className="mono">{scope}</span>}
              description={by === null ? words.scopes[scope] : `${words.scopes[scope]} ${words.included(by)}`}
              disabled={isDisabled}
            />
          );
        })}
      </Stack>
    </Checkbox.Group>
  );
}
