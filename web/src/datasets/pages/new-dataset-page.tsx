import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useMe, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { DropZone } from '../upload/drop-zone';
import { startUpload } from '../upload/running-uploads';
import { SelectionSummary } from '../upload/selection-summary';
import { commonRoot, type Dropped, idFromName, isArchive } from '../upload/upload-plan';
import { type Chosen, useSelection } from '../upload/use-selection';

const route = getRouteApi('/signed-in/t/$tenant/datasets/new');
const words = text.datasets.form;
const ID = /^(?!drafts$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Names a dataset and fills it, on one page. */
export function NewDatasetPage() {
  const tenant = useTenant();
  const { tenant: code } = route.useParams();
  const chosen = useSelection();
  const form = useForm({
    initialValues: { name: '', id: '', isOwnId: false },
    validate: { id: (id) => (ID.test(id) ? null : words.idBad) },
  });
  const setName = (name: string) =>
    form.setValues((before) => ({ name, id: before.isOwnId ? before.id : idFromName(name) }));
  const drop = (dropped: readonly Dropped[]) => {
    const name = nameOf(dropped);
    if (form.values.name === '' && name !== null) setName(name);
    chosen.add(dropped);
  };
  const create = useCreate(chosen);
  return (
    <Page
      title={words.title}
      description={words.hint}
      crumbs={[{ label: text.datasets.title, to: '/t/$tenant/datasets', params: { tenant: code } }]}
      curl={{
        method: 'POST',
        path: '/api/v1/datasets',
        body: { id: form.values.id || 'my-dataset', name: form.values.name || 'My dataset' },
      }}
    >
      <form onSubmit={form.onSubmit(({ id, name }) => create.mutate({ id, name: name.trim() }))}>
        <Stack gap="md" maw={860}>
          <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
            <TextInput
              label={words.name}
              placeholder={words.nameHint}
              required
              maxLength={200}
              miw={240}
              value={form.values.name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <TextInput
              label={words.id}
              description={words.idHint}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              required
              miw={240}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              value={form.values.id}
              error={form.errors.id}
              onChange={(event) => form.setValues({ id: event.currentTarget.value, isOwnId: true })}
            />
          </Group>
          <DropZone onFiles={drop} />
          <SelectionSummary chosen={chosen} />
          {create.isError && <ErrorCard error={create.error} />}
          <Group gap="md">
            <Allowed to="DATASET_WRITE">
              <Button type="submit" loading={create.isPending}>
                {chosen.entries.length > 0 ? words.create : words.createEmpty}
              </Button>
            </Allowed>
            <Anchor
              size="sm"
              renderRoot={(props: object) => (
                <Link to="/t/$tenant/sources" params={{ tenant: tenant.code }} {...props} />
              )}
            >
              {words.fromSource}
            </Anchor>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

function useCreate(chosen: Chosen) {
  const tenant = useTenant();
  const me = useMe();
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (given: { id: string; name: string }) =>
      body(tenant.api.POST('/api/v1/datasets', { body: given })),
    onSuccess: async ({ id }) => {
      const upload = { tenant: tenant.code, datasetId: id, person: me.id, mayHold: false };
      if (chosen.entries.length > 0) startUpload(upload, chosen);
      await client.invalidateQueries({ queryKey: [tenant.code, 'datasets'] });
      await navigate({
        to: '/t/$tenant/datasets/$datasetId',
        params: { tenant: tenant.code, datasetId: id },
        search: {},
      });
    },
  });
}

/** The dropped folder or archive as a name; null when there are several. */
function nameOf(dropped: readonly Dropped[]): string | null {
  const root = commonRoot(dropped.map(({ path }) => path));
  if (root !== null) return root;
  const [only] = dropped;
  return dropped.length === 1 && only && isArchive(only.path) ? only.path.replace(/\.zip$/i, '') : null;
}
