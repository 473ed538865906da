import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTypedSearch } from './use-typed-search';

interface SearchBoxProps {
  readonly label: string;
  readonly hint: string;
  readonly width: number;
  /** As the address has it. */
  readonly q: string;
  readonly onSearch: (q: string) => void;
}

export function SearchBox({ label, hint, width, q, onSearch }: SearchBoxProps) {
  return (
    <TextInput
      size="sm"
      w={width}
      type="search"
      data-search
      aria-label={label}
      placeholder={hint}
      leftSection={<IconSearch size={15} aria-hidden />}
      {...useTypedSearch(q, onSearch)}
    />
  );
}
