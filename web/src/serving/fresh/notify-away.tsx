import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link } from '@tanstack/react-router';
import { text } from '../../text';

const words = text.serving.fresh;

/** For who looks at another page by now: the notice stays until it is closed. */
export function notifyCreated(tenant: string, endpoint: string): void {
  notifications.show({
    autoClose: false,
    message: (
      <Anchor
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/serving/$endpoint" params={{ tenant, endpoint }} {...props} />
        )}
      >
        {words.created(endpoint)}
      </Anchor>
    ),
  });
}

export function notifyFailed(endpoint: string, error: Error): void {
  notifications.show({ autoClose: false, color: 'red', message: words.failed(endpoint, error.message) });
}
