import { Anchor, Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { meQuery, tenantsQuery, useMe } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import { DoorLink } from '../door-parts';

export function ProfileTab() {
  const words = text.people.account;
  const me = useMe();
  const client = useQueryClient();
  const [name, setName] = useState(me.full_name ?? '');
  const [phone, setPhone] = useState(me.phone ?? '');
  const save = useMutation({
    mutationFn: () =>
      body(api.PATCH('/users/me', { body: { full_name: name.trim() || null, phone: phone.trim() || null } })),
    onSuccess: (changed) => client.setQueryData(meQuery.queryKey, changed),
  });
  const isChanged = name.trim() !== (me.full_name ?? '') || phone.trim() !== (me.phone ?? '');
  return (
    <Stack gap="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="md" maw={440}>
          <TextInput label={words.email} description={words.emailHint} value={me.email} readOnly />
          <Group gap="sm">
            <StateChip
              state={me.is_verified ? words.verified : words.unverified}
              look={me.is_verified ? 'succeeded' : 'waiting'}
            />
            {!me.is_verified && <DoorLink to="/verify">{words.verify}</DoorLink>}
          </Group>
          <TextInput
            label={words.name}
            autoComplete="name"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={words.phone}
            type="tel"
            autoComplete="tel"
            maxLength={50}
            value={phone}
            onChange={(event) => setPhone(event.currentTarget.value)}
          />
          {save.isError && <ErrorCard error={save.error} />}
          <Group gap="sm">
            <Button type="submit" loading={save.isPending} disabled={!isChanged}>
              {text.shared.save}
            </Button>
            {save.isSuccess && !isChanged && (
              <Text size="sm" c="dimmed" role="status">
                {words.saved}
              </Text>
            )}
          </Group>
        </Stack>
      </form>
      <Roles />
    </Stack>
  );
}

function Roles() {
  const words = text.people.account;
  const me = useMe();
  const { data } = useQuery(tenantsQuery);
  return (
    <Stack gap="sm" maw={440}>
      <Title order={2} size="h5">
        {words.roles}
      </Title>
      {me.is_superuser && <Text size="sm">{words.globalAdmin}</Text>}
      {data?.total === 0 && <Text>{words.noRoles}</Text>}
      {data !== undefined && data.total > 0 && (
        <Table aria-label={words.roles} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.tenant}</Table.Th>
              <Table.Th>{words.role}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.map((tenant) => (
              <Table.Tr key={tenant.id}>
                <Table.Td>
                  <Anchor
                    renderRoot={(props: object) => (
                      <Link to="/t/$tenant" params={{ tenant: tenant.code }} {...props} />
                    )}
                  >
                    {tenant.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>{tenant.role}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
