import { Button, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { digestFilter, type ListSearch, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { useCloseOver, useSearchChange } from '../../shared/search-change';
import { text } from '../../text';
import { BulkActions } from '../fleet/bulk-actions';
import { FLEET_COLUMNS } from '../fleet/fleet-columns';
import { FleetHealth } from '../fleet/fleet-health';
import { fleetFilters, installedWord } from '../fleet/installed';
import { RegisterDevice } from '../fleet/register-device';
import { type Device, type Fleet, fleetQuery, listFleet } from '../queries';

const route = getRouteApi('/signed-in/t/$tenant/edge');
const words = text.edge;
const PATH = '/api/v1/edge/fleet';

/** Every device of the tenant, and how the fleet is. */
export function FleetPage() {
  const tenant = useTenant();
  const change = useSearchChange();
  const close = useCloseOver('register');
  const { register, ...search }: ListSearch = route.useSearch();
  const [renewal, setRenewal] = useState(0);
  // The same question as that of the list below: it is asked once.
  const fleet = useQuery(fleetQuery(tenant, search));
  const locations = (fleet.data?.locations ?? []).flatMap(({ location }) => location ?? []);
  const add = <AddButton onClick={() => change({ register: 'device' }, { opensOver: true })} />;
  return (
    <Page
      title={words.title}
      curl={{ path: PATH, query: listQuery(fleetFilters(search)) }}
      actions={<Actions add={add} />}
    >
      <Stack gap="md">
        <FleetHealth counts={fleet.data?.counts} search={search} />
        <List<Device>
          label={words.label}
          search={search}
          queryKey={fleetQuery(tenant, search).queryKey}
          queryFn={({ signal }) => listFleet(tenant, search, signal)}
          columns={FLEET_COLUMNS}
          keyOf={({ id }) => id}
          defaultSort={{ by: 'id', order: 'asc' }}
          renewal={renewal}
          filters={[
            {
              key: 'location',
              label: words.columns.location,
              options: withChosen(locationOptions(fleet.data?.locations ?? []), search.location),
            },
            {
              key: 'runs',
              label: words.columns.runs,
              options: withChosen(versionOptions(fleet.data?.versions ?? []), search.runs),
            },
            ...digestFilter('dataset_digest', text.lineage.digest, search),
          ]}
          bulk={(rows, done) => <BulkActions rows={rows} done={done} />}
          empty={<EmptyState sentence={words.empty} action={add} call={EXAMPLE_CALLS.device} />}
        />
      </Stack>
      {register !== undefined && (
        <RegisterDevice locations={locations} onClose={close} onMade={() => setRenewal((made) => made + 1)} />
      )}
    </Page>
  );
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <Allowed to="SETTINGS">
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
        {words.register.action}
      </Button>
    </Allowed>
  );
}

function Actions({ add }: { add: ReactNode }) {
  const { code } = useTenant();
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/deployments" params={{ tenant: code }} {...props} />
        )}
      >
        {words.deployments}
      </Button>
      {add}
    </>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const locationOptions = (locations: Fleet['locations']): Option[] =>
  locations.flatMap(({ location, count }) =>
    location === null ? [] : [{ value: location, label: words.countOf(location, count) }],
  );

const versionOptions = (versions: Fleet['versions']): Option[] =>
  versions.map(({ model, version, count }) => ({
    value: installedWord(model, version),
    label: words.countOf(text.deployments.name(model, version), count),
  }));

/** The one that is chosen is among them, however few devices it has. */
function withChosen(options: readonly Option[], chosen: string | number | undefined): readonly Option[] {
  if (chosen === undefined || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: String(chosen), label: String(chosen) }];
}
