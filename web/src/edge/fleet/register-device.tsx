import { Autocomplete, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { secretCreation } from '../../shared/secret-creation';
import { SecretDialog } from '../../shared/secret-dialog';
import { text } from '../../text';
import { fleetKey } from '../queries';
import { NewDeviceToken } from '../token/new-device-token';
import { DEFAULT_SCOPES, type Scope } from '../token/scope-list';
import { ScopeBoxes } from '../token/scope-boxes';

const words = text.edge.register;
const ID_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

interface RegisterProps {
  /** That other devices have. */
  readonly locations: readonly string[];
  readonly onClose: () => void;
  /** Once the fleet is read again. */
  readonly onMade: () => void;
}

/** Asks which device it is, then shows its token the one time. */
export function RegisterDevice({ locations, onClose, onMade }: RegisterProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const create = useMutation(
    secretCreation(
      (wanted: Schemas['DeviceCreate']) => body(tenant.api.POST('/api/v1/edge/devices', { body: wanted })),
      () => client.invalidateQueries({ queryKey: fleetKey(tenant) }).then(onMade),
    ),
  );
  const made = create.data;
  return (
    <SecretDialog
      onClose={onClose}
      title={made === undefined ? words.title : words.doneTitle(made.id)}
      isBusy={create.isPending}
      holdsSecret={made !== undefined}
    >
      {made === undefined ? (
        <RegisterForm
          locations={locations}
          isBusy={create.isPending}
          error={create.error}
          onClose={onClose}
          onCreate={(wanted) => create.mutate(wanted)}
        />
      ) : (
        <NewDeviceToken made={made} onClose={onClose} />
      )}
    </SecretDialog>
  );
}

interface FormProps extends Omit<RegisterProps, 'onMade'> {
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onCreate: (wanted: Schemas['DeviceCreate']) => void;
}

function RegisterForm({ locations, isBusy, error, onClose, onCreate }: FormProps) {
  const form = useForm({
    initialValues: { id: '', location: '', scopes: [...DEFAULT_SCOPES] as Scope[] },
    validate: {
      id: (id) => (ID_FORM.test(id.trim()) ? null : words.idBad),
      scopes: (scopes) => (scopes.length > 0 ? null : text.edge.token.noScopes),
    },
  });
  return (
    <form
      onSubmit={form.onSubmit(({ id, location, scopes }) =>
        onCreate({ id: id.trim(), location: location.trim() || null, scopes }),
      )}
    >
      <Stack gap="md">
        <TextInput
          label={words.id}
          description={words.idHint}
          required
          maxLength={128}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('id')}
        />
        <Autocomplete
          label={words.location}
          description={words.locationHint}
          data={[...locations]}
          maxLength={200}
          {...form.getInputProps('location')}
        />
        <details>
          <summary>{words.scopes}</summary>
          <ScopeBoxes
            value={form.values.scopes}
            onChange={(scopes) => form.setFieldValue('scopes', scopes)}
            error={form.errors.scopes}
          />
        </details>
        {error !== null && <ErrorCard error={error} />}
        <DialogEnd onCancel={onClose} action={words.make} isBusy={isBusy} />
      </Stack>
    </form>
  );
}
