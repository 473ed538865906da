import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTenant } from '../app/session';
import { text } from '../text';
import { sampleQuery } from './queries';
import { Section } from './section';

/** What the sample of the first start found out, where it has ended well. */
export function SamplePicture() {
  const { data: isSample } = useQuery(sampleQuery(useTenant()));
  const [isMissing, setMissing] = useState(false);
  if (isSample !== true || isMissing) return null;
  return (
    <Section title={text.home.sample}>
      <Paper withBorder p="sm">
        <Stack gap="sm">
          <img
            src="/sample/confusion.svg"
            alt={text.home.sampleAlt}
            width={456}
            height={452}
            className="paper"
            style={{ width: '100%', height: 'auto', borderRadius: 4 }}
            onError={() => setMissing(true)}
          />
          <Text size="sm" c="dimmed">
            {text.home.sampleHint}
          </Text>
        </Stack>
      </Paper>
    </Section>
  );
}
