import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Allowed, Explained } from '../../shared/allowed';
import { useMissing } from '../../app/session';
import { text } from '../../text';
import type { ModelVersion } from '../queries';
import { PromoteDialog } from './promote-dialog';

interface ButtonProps {
  readonly version: Pick<ModelVersion, 'name' | 'version' | 'stage'>;
  readonly label?: string;
  readonly variant?: string;
}

/** Opens the request for a promotion; where there can be none it says why. */
export function PromoteButton({
  version,
  label = text.models.versionPage.promote,
  variant = 'default',
}: ButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const missing = useMissing('PRODUCTION_PROMOTE');
  const button = (
    <Button variant={variant} onClick={dialog.open}>
      {label}
    </Button>
  );
  return (
    <>
      {missing === null ? (
        <Explained reason={reasonAgainst(version.stage)}>{button}</Explained>
      ) : (
        <Allowed to="PRODUCTION_PROMOTE">{button}</Allowed>
      )}
      <PromoteDialog name={version.name} version={version.version} opened={isOpen} onClose={dialog.close} />
    </>
  );
}

function reasonAgainst(stage: ModelVersion['stage']): string | null {
  if (stage === 'Production') return text.models.versionPage.promoteWhy;
  return stage === 'Archived' ? text.models.versionPage.archivedWhy : null;
}
