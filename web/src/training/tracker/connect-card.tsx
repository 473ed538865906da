import { Anchor, Code, CopyButton, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { text } from '../../text';

/** @param origin scheme, host and port of the platform */
export const notebookCell = (origin: string): string => `%pip install -q mlflow
import os, getpass, mlflow

os.environ["MLFLOW_TRACKING_TOKEN"] = getpass.getpass("Tracker token: ")
mlflow.set_tracking_uri("${origin}/tracker")
mlflow.set_experiment("reading/digits")

with mlflow.start_run(run_name="first"):
    mlflow.log_param("hidden", 128)
    mlflow.log_metric("val/accuracy", 0.97, step=1)`;

/** What a notebook needs to log here. The token is asked for, so that none is kept in the notebook. */
export function ConnectCard() {
  const words = text.training.tracker;
  const cell = notebookCell(window.location.origin);
  return (
    <Paper withBorder p="md" component="section" aria-label={words.connect}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text>
            {words.connectHint}{' '}
            <Anchor renderRoot={(props: object) => <Link to="/account" {...props} />}>
              {words.connectGuide}
            </Anchor>
          </Text>
          <CopyButton value={cell}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" onClick={copy}>
                {copied ? text.shared.copied : text.shared.copy}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Code block tabIndex={0} style={{ overflowX: 'auto' }}>
          {cell}
        </Code>
      </Stack>
    </Paper>
  );
}
