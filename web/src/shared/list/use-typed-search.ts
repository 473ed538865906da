import { useDebouncedCallback } from '@mantine/hooks';
import { type ChangeEvent, useState } from 'react';
import { searchOf, withAddress } from './typed-search';

const PAUSE_MS = 300;

/**
 * The text of a box whose words stand in the address, where they come a moment after the last letter.
 * @param q as the address has it
 */
export function useTypedSearch(q: string, onSearch: (q: string) => void) {
  const [search, setSearch] = useState(searchOf(q));
  if (search.address !== q) setSearch(withAddress(search, q));
  const send = useDebouncedCallback((typed: string) => {
    const sent = typed.trim();
    setSearch((before) => ({ ...before, sent }));
    onSearch(sent);
  }, PAUSE_MS);
  const onChange = ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
    setSearch((before) => ({ ...before, typed: value }));
    send(value);
  };
  return { value: search.typed, onChange };
}
