import { PasswordInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../shared/dialog';
import { ROLES } from '../../../../models/access/permission.rules.ts';
import { api, body } from '../../api/client';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import type { Role } from '../queries';
import { useRefreshedUsers } from '../users/user-calls';

type Way = 'invite' | 'create';

/** Gives somebody a role in the tenant: who has an account, who is invited, or a new account with a first password. */
export function AddMember({
  tenant,
  onClose,
  onAdded,
}: {
  tenant: string;
  onClose: () => void;
  onAdded: () => void;
}) {
  const words = text.admin.members;
  const refresh = useRefreshedUsers();
  const [way, setWay] = useState<Way>('invite');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('VIEWER');
  const [password, setPassword] = useState('');
  const add = useMutation({
    mutationFn: () => {
      const wanted = { email: email.trim(), tenant_code: tenant, role };
      return way === 'invite'
        ? body(api.POST('/api/v1/system/users/invite', { body: wanted }))
        : body(api.POST('/api/v1/system/users/create', { body: { ...wanted, password } }));
    },
    onSuccess: async (answer) => {
      // An invitation has an end; an account has an id.
      const message = 'id' in answer ? words.granted(answer.email, role) : words.invited(answer.email);
      notifications.show({ message });
      onClose();
      await refresh();
      onAdded();
    },
  });
  return (
    <Dialog onClose={onClose} title={words.addTitle(tenant)} size="md" isBusy={add.isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Stack gap="md">
          <SegmentedControl
            orientation="vertical"
            value={way}
            onChange={(chosen) => setWay(chosen as Way)}
            data={[
              { value: 'invite', label: words.invite },
              { value: 'create', label: words.create },
            ]}
          />
          {way === 'invite' && (
            <Text size="sm" c="dimmed">
              {words.inviteHint}
            </Text>
          )}
          <TextInput
            label={text.admin.people.email}
            type="email"
            required
            autoComplete="off"
            data-autofocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Select
            label={text.admin.people.role}
            allowDeselect={false}
            data={[...ROLES]}
            value={role}
            onChange={(chosen) => setRole(chosen as Role)}
          />
          {way === 'create' && (
            <PasswordInput
              label={text.admin.people.password}
              description={text.admin.people.passwordHint}
              autoComplete="new-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          )}
          {add.isError && <ErrorCard error={add.error} />}
          <DialogEnd
            onCancel={onClose}
            action={way === 'invite' ? words.submitInvite : words.submitCreate}
            isBusy={add.isPending}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
