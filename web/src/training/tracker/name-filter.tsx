import { useSearch } from '@tanstack/react-router';
import { SearchBox } from '../../shared/list/search-box';
import { useSearchChange } from '../../shared/search-change';

/** Whether a name is among those that are looked for; the words stand in the address. */
export function useNameFilter(): (name: string) => boolean {
  const wanted = useWanted().toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

/** The box that the words are typed in. */
export function NameFilter({ label }: { label: string }) {
  const change = useSearchChange();
  return (
    <SearchBox
      label={label}
      hint={label}
      width={200}
      q={useWanted()}
      onSearch={(q) => change({ q: q || undefined }, { replace: true })}
    />
  );
}

function useWanted(): string {
  const { q = '' }: { readonly q?: unknown } = useSearch({ strict: false });
  return String(q);
}
