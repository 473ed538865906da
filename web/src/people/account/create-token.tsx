import { Checkbox, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, type Schemas } from '../../api/client';
import { lastTenant } from '../../app/preferences';
import { tenantsQuery } from '../../app/session';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { secretCreation } from '../../shared/secret-creation';
import { SecretDialog } from '../../shared/secret-dialog';
import { text } from '../../text';
import { tokensQuery } from '../queries';
import { NewToken } from './new-token';

const KINDS = ['tracker', 'registry'] as const;
const MOST_DAYS = 3650;

interface CreateTokenProps {
  readonly onClose: () => void;
  /** The token is made, and the list was read again. */
  readonly onMade: () => void;
}

/** Asks for what a token is to be, then shows it the one time. */
export function CreateToken({ onClose, onMade }: CreateTokenProps) {
  const words = text.people.tokens;
  const client = useQueryClient();
  const create = useMutation(
    secretCreation(
      (wanted: Schemas['AccessTokenCreate']) => body(api.POST('/users/me/tokens', { body: wanted })),
      () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }).then(onMade),
    ),
  );
  const made = create.data;
  return (
    <SecretDialog
      onClose={onClose}
      title={made === undefined ? words.create : words.shownTitle}
      isBusy={create.isPending}
      holdsSecret={made !== undefined}
    >
      {made === undefined ? (
        <TokenForm
          isBusy={create.isPending}
          error={create.error}
          onClose={onClose}
          onCreate={(wanted) => create.mutate(wanted)}
        />
      ) : (
        <NewToken token={made} onClose={onClose} />
      )}
    </SecretDialog>
  );
}

interface TokenFormProps {
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onClose: () => void;
  readonly onCreate: (wanted: Schemas['AccessTokenCreate']) => void;
}

function TokenForm({ isBusy, error, onClose, onCreate }: TokenFormProps) {
  const words = text.people.tokens;
  const { data: tenants } = useQuery(tenantsQuery);
  const last = lastTenant();
  const first = tenants?.items.find(({ code }) => code === last) ?? tenants?.items[0];
  const form = useForm({
    initialValues: {
      name: '',
      kind: 'tracker' as (typeof KINDS)[number],
      tenant_code: first?.code ?? '',
      read_only: false,
      expires_in_days: 90 as number | string,
    },
  });
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        onCreate({ ...values, name: values.name.trim(), expires_in_days: Number(values.expires_in_days) }),
      )}
    >
      <Stack gap="md">
        <TextInput
          label={words.name}
          description={words.nameHint}
          required
          maxLength={200}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={words.kind}
          allowDeselect={false}
          data={KINDS.map((kind) => ({ value: kind, label: words.kinds[kind] ?? kind }))}
          {...form.getInputProps('kind')}
        />
        <Select
          label={words.tenant}
          required
          allowDeselect={false}
          searchable={(tenants?.total ?? 0) > 8}
          data={tenants?.items.map(({ code, name }) => ({ value: code, label: name })) ?? []}
          {...form.getInputProps('tenant_code')}
        />
        <NumberInput
          label={words.expiresIn}
          suffix={words.daySuffix(Number(form.values.expires_in_days))}
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
          required
          {...form.getInputProps('expires_in_days')}
        />
        <Checkbox
          label={words.readOnly}
          description={words.readOnlyHint}
          {...form.getInputProps('read_only', { type: 'checkbox' })}
        />
        {error !== null && <ErrorCard error={error} />}
        <DialogEnd onCancel={onClose} action={words.make} isBusy={isBusy} />
      </Stack>
    </form>
  );
}
