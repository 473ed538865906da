import { NumberInput, SimpleGrid, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../shared/dialog';
import { api, body, type Schemas } from '../../api/client';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { tenantSettingsQuery } from '../../shared/tenant-settings';
import { featuresQuery, type TenantSettings } from '../queries';
import { KpiRows } from './kpi-rows';
import { changesOf, formOf, formOver, RETENTION_KINDS, type TenantForm } from './tenant-form';

const words = text.admin.tenants;
const MOST_DAYS = 36_500;

export function EditTenant({ tenant, onClose }: { tenant: TenantSettings; onClose: () => void }) {
  const features = useQuery(featuresQuery);
  const save = useSaved(tenant, features.data?.items ?? [], onClose);
  return (
    <Dialog onClose={onClose} title={words.editTitle(tenant.name)} size="lg" isBusy={save.isPending}>
      <Reading query={features} />
      {features.data && <Form tenant={tenant} features={features.data.items} save={save} onClose={onClose} />}
    </Dialog>
  );
}

interface FormProps {
  readonly tenant: TenantSettings;
  readonly features: ReadonlyArray<Schemas['FeatureOut']>;
  readonly save: ReturnType<typeof useSaved>;
  readonly onClose: () => void;
}

function Form({ tenant, features, save, onClose }: FormProps) {
  const [form, setForm] = useState(() => formOf(tenant, features));
  const [isAsked, ask] = useDisclosure(false);
  const changes = changesOf(form, tenant, features);
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changes.is_active === false) ask.open();
          else save.mutate(form);
        }}
      >
        <Stack gap="md">
          <TextInput
            label={words.name}
            required
            maxLength={200}
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
          />
          <Switch
            label={words.isActive}
            description={words.isActiveHint}
            checked={form.is_active}
            onChange={(event) => setForm({ ...form, is_active: event.currentTarget.checked })}
          />
          <Title order={3} size="h5">
            {words.features}
          </Title>
          {features.map((feature) => (
            <Switch
              key={feature.key}
              label={feature.title}
              description={feature.description}
              checked={form.features[feature.key] ?? feature.default}
              onChange={(event) =>
                setForm({
                  ...form,
                  features: { ...form.features, [feature.key]: event.currentTarget.checked },
                })
              }
            />
          ))}
          <Title order={3} size="h5">
            {words.retentionTitle}
          </Title>
          <Text size="sm" c="dimmed">
            {words.retentionHint}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
            {RETENTION_KINDS.map((kind) => (
              <NumberInput
                key={kind}
                label={words.retentionKinds[kind] ?? kind}
                placeholder={words.forever}
                min={1}
                max={MOST_DAYS}
                allowDecimal={false}
                value={form.retention[kind] ?? ''}
                onChange={(days) => setForm({ ...form, retention: { ...form.retention, [kind]: days } })}
              />
            ))}
          </SimpleGrid>
          <Title order={3} size="h5">
            {words.kpis}
          </Title>
          <KpiRows rows={form.kpis} onChange={(kpis) => setForm({ ...form, kpis })} />
          {save.isError && <ErrorCard error={save.error} />}
          <DialogEnd
            onCancel={onClose}
            action={text.shared.save}
            isBusy={save.isPending}
            isReady={Object.keys(changes).length > 0}
          />
        </Stack>
      </form>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.lockTitle(tenant.name)}
        name={tenant.code}
        action={words.lock}
        run={() => save.mutateAsync(form)}
      >
        {words.isActiveHint}
      </ConfirmByName>
    </>
  );
}

/** Sends what was changed in the form, and nothing that another tab or person has changed since it was opened. */
function useSaved(before: TenantSettings, features: FormProps['features'], onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (form: TenantForm) => {
      const { items } = await client.fetchQuery({ ...tenantSettingsQuery, staleTime: 0 });
      const now = items.find(({ id }) => id === before.id) ?? before;
      const changes = changesOf(formOver(form, before, now, features), now, features);
      if (Object.keys(changes).length === 0) return now;
      return body(
        api.PATCH('/api/v1/settings/tenants/{tenant_id}', {
          params: { path: { tenant_id: before.id } },
          body: changes as Schemas['TenantUpdate'],
        }),
      );
    },
    onSuccess: async (saved) => {
      notifications.show({ message: words.saved(saved.name) });
      onClose();
      await Promise.all(
        [tenantSettingsQuery.queryKey, ['tenants']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
}
