import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { Allowed } from '../allowed';

interface DeployButtonProps {
  readonly label: string;
  /** What the form of a new deployment begins with. */
  readonly search: Readonly<Record<string, string>>;
  readonly variant?: 'default' | 'filled';
  readonly size?: string;
}

/** Leads to the form of a new deployment. */
export function DeployButton({ label, search, variant = 'default', size }: DeployButtonProps) {
  const { code } = useTenant();
  return (
    <Allowed to="DEPLOY">
      <Button
        variant={variant}
        size={size}
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/deployments/new" params={{ tenant: code }} search={search} {...props} />
        )}
      >
        {label}
      </Button>
    </Allowed>
  );
}
