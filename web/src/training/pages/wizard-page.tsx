import { Reading } from '../../shared/reading';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { experimentQuery } from '../queries';
import { EMPTY_DRAFT, withConfig } from '../wizard/draft';
import { WizardForm } from '../wizard/wizard-form';

const route = getRouteApi('/signed-in/t/$tenant/training/new');

/** The wizard, with the config of another training in it where one is named. */
export function WizardPage() {
  const { from } = route.useSearch();
  const tenant = useTenant();
  const query = useQuery({ ...experimentQuery(tenant, from ?? ''), enabled: from !== undefined });
  if (from === undefined) return <WizardForm key="new" initial={EMPTY_DRAFT} clonedFrom={null} />;
  if (query.data === undefined) return <Reading query={query} />;
  return (
    <WizardForm
      key={from}
      initial={withConfig(EMPTY_DRAFT, query.data.config)}
      clonedFrom={query.data.name}
    />
  );
}
