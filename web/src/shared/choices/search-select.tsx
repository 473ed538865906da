import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { text } from '../../text';
import { keepWithin } from '../keep-within';
import { OFFERED, type Offer, type Offers } from './offers';

type Kept =
  | 'label'
  | 'aria-label'
  | 'description'
  | 'placeholder'
  | 'required'
  | 'disabled'
  | 'size'
  | 'w'
  | 'maw';

interface SearchSelectProps
  extends Pick<SelectProps, Kept | 'allowDeselect' | 'clearable' | 'clearButtonProps'> {
  readonly offers: Offers;
  /** Null: nothing is chosen. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  /** How the value is called before it was read; where that is left out, as it is read, and its own words until then. */
  readonly valueLabel?: string | undefined;
  /** Offered before all others. */
  readonly first?: readonly Offer[];
  readonly nothingFound?: string;
}

const NONE: readonly Offer[] = [];
/** Without a search of the platform pages are read until so many fit what is typed. */
const ENOUGH = 20;

/**
 * A choice among as many things as there are: what is typed is looked for by the platform, and more come when the end of the
 * list is reached. Nothing is read before it is opened.
 */
export function SearchSelect(props: SearchSelectProps) {
  const {
    offers,
    value,
    onChange,
    valueLabel,
    first = NONE,
    nothingFound = text.lists.nothingFound,
    ...rest
  } = props;
  const [typed, setTyped] = useState('');
  const [isOpened, setOpened] = useState(false);
  const [chosen, setChosen] = useState<Offer | null>(null);
  const current = shownOf(value, chosen, valueLabel);
  const sought = typed.trim() === current?.label ? '' : typed.trim();
  const [waited] = useDebouncedValue(sought, 200);
  const q = offers.isSearched && waited !== '' ? waited : undefined;
  const query = useInfiniteQuery({
    queryKey: [...offers.key, q],
    queryFn: ({ pageParam, signal }) => offers.read({ q, page: pageParam, signal }),
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.length < OFFERED ? undefined : pages.length + 1),
    enabled: isOpened,
    placeholderData: keepWithin(offers.key),
  });
  const read = query.data?.pages.flat() ?? [];
  // What nobody has named, such as a value of the address, is called as the platform calls it.
  const known = read.find((offer) => offer.value === value);
  if (known !== undefined && valueLabel === undefined && chosen?.value !== value) setChosen(known);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const isEnough =
    offers.isSearched || sought === '' || read.filter(({ label }) => isLike(label, sought)).length >= ENOUGH;
  useEffect(() => {
    if (isOpened && !isEnough && hasNextPage && !isFetching) void fetchNextPage();
  }, [isOpened, isEnough, hasNextPage, isFetching, fetchNextPage]);
  // The chosen one keeps its name: another would be taken for what somebody typed.
  const named = read.map((offer) => (offer.value === current?.value ? current : offer));
  /** Found by the platform, perhaps by another word than its name. */
  const isFound = offers.isSearched && !query.isPlaceholderData && waited === sought;
  const options = uniqueOf([...first, ...named, ...(current === null ? [] : [current])]);
  return (
    <Select
      {...rest}
      searchable
      data={options.map(({ value: id, label }) => ({ value: id, label }))}
      filter={({ options: all, search }) =>
        all.filter(
          (option) =>
            'label' in option &&
            (search.trim() === '' ||
              isLike(option.label, search.trim()) ||
              (isFound && read.some((found) => found.value === option.value))),
        )
      }
      nothingFoundMessage={isFetching || !isOpened ? text.shared.loading : nothingFound}
      error={query.error?.message}
      value={value}
      onChange={(next) => {
        setChosen(options.find((option) => option.value === next) ?? null);
        onChange(next);
      }}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      scrollAreaProps={{ onBottomReached: () => hasNextPage && !isFetching && void fetchNextPage() }}
    />
  );
}

const isLike = (label: string, sought: string): boolean => label.toLowerCase().includes(sought.toLowerCase());

/** The value with a name: as it was chosen here, as it was given, or by itself. */
function shownOf(value: string | null, chosen: Offer | null, given: string | undefined): Offer | null {
  if (value === null || value === '') return null;
  return given === undefined && chosen?.value === value ? chosen : { value, label: given ?? value };
}

/** Pages move while things come and go, so that one may be read twice. */
const uniqueOf = (offers: readonly Offer[]): Offer[] =>
  offers.filter(({ value }, at) => offers.findIndex((other) => other.value === value) === at);
