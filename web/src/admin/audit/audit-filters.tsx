import { Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchChange } from '../../shared/search-change';
import { useTypedSearch } from '../../shared/list/use-typed-search';
import { MomentField } from '../../shared/moment-field';
import { text } from '../../text';
import { auditActionsQuery } from '../queries';
import { actionChoices, type AuditSearch } from './audit-words';

const words = text.admin.audit;
/** Any other choice begins at the newest entry again. */
const FROM_START = { page: undefined, after: undefined };

export function AuditFilters({ search, tenant }: { search: AuditSearch; tenant: string }) {
  const change = useSearchChange();
  const isEverywhere = search.scope === 'all';
  const { data: actions } = useQuery(auditActionsQuery(isEverywhere ? undefined : tenant));
  const set = (name: string, value: string | undefined) => change({ [name]: value, ...FROM_START });
  const type = (name: string, value: string | undefined) =>
    change({ [name]: value, ...FROM_START }, { replace: true });
  return (
    <Group gap="sm" wrap="wrap" role="search" aria-label={words.label} align="flex-end">
      <Select
        label={words.scope}
        w={{ base: '100%', xs: 150 }}
        allowDeselect={false}
        data={[
          { value: 'tenant', label: words.scopeTenant },
          { value: 'all', label: words.scopeAll },
        ]}
        value={isEverywhere ? 'all' : 'tenant'}
        onChange={(scope) => set('scope', scope === 'all' ? 'all' : undefined)}
      />
      <Select
        label={words.action}
        w={{ base: '100%', xs: 190 }}
        placeholder={words.allActions}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': text.lists.clearFilter(words.action) }}
        data={actionChoices(actions?.items ?? [], words.anything)}
        value={search.action === undefined ? null : String(search.action)}
        onChange={(action) => set('action', action ?? undefined)}
      />
      <Words
        label={words.actor}
        hint={words.actorFilter}
        value={search.actor}
        onWords={(actor) => type('actor', actor)}
        isSearch
      />
      <Words
        label={words.target}
        hint={words.targetFilter}
        value={search.target}
        onWords={(target) => type('target', target)}
      />
      <MomentField
        label={words.since}
        w={{ base: '100%', xs: 190 }}
        value={search.since}
        onMoment={(since) => type('since', since)}
      />
      <MomentField
        label={words.until}
        w={{ base: '100%', xs: 190 }}
        value={search.until}
        onMoment={(until) => type('until', until)}
      />
    </Group>
  );
}

interface WordsProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string | number | undefined;
  readonly onWords: (words: string | undefined) => void;
  /** The field that `/` leads to. */
  readonly isSearch?: boolean;
}

function Words({ label, hint, value, onWords, isSearch = false }: WordsProps) {
  const field = useTypedSearch(String(value ?? ''), (q) => onWords(q || undefined));
  return (
    <TextInput
      label={label}
      placeholder={hint}
      w={{ base: '100%', xs: 165 }}
      type="search"
      maxLength={200}
      data-search={isSearch || undefined}
      {...field}
    />
  );
}
