import { Box, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { text } from '../text';

/** The frame of pages before the sign-in. */
export function DoorFrame({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · VisionOps`);
  return (
    <Box
      component="main"
      mih="100vh"
      p="md"
      bg="var(--ground-quiet)"
      style={{ display: 'grid', placeItems: 'center' }}
    >
      <Paper withBorder p="lg" w="100%" maw={400}>
        <Stack gap="md">
          <div>
            <Text fw={650} c="dimmed">
              {text.frame.product}
            </Text>
            <Title order={1} size="h3">
              {title}
            </Title>
          </div>
          {children}
        </Stack>
      </Paper>
    </Box>
  );
}
