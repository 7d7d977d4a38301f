# The image of mcpproxy. Build: docker build -t mcpproxy .
# Run: docker run --init --read-only --tmpfs /tmp -v mcpproxy:/data -p 127.0.0.1:8080:8080 mcpproxy
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /src
# Dependencies first: this layer stays until the lock file changes. No script of a package runs.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY web ./web
RUN npm run build \
  && find dist -name '*.map' -delete \
  && rm dist/meta.json \
  && chmod 755 dist/main.js \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="mcpproxy" \
  org.opencontainers.image.description="One MCP endpoint for all your MCP servers" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY package.json LICENSE THIRD_PARTY_NOTICES.md ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
RUN ln -s /app/dist/main.js /usr/local/bin/mcpproxy \
  && install -d -o 1000 -g 1000 -m 0700 /data
# HOME is in the volume, so that servers started by npx keep their downloads. Everything else may be read-only.
ENV NODE_ENV=production \
  HOME=/data \
  MCPPROXY_DATA_DIR=/data \
  MCPPROXY_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
USER 1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["mcpproxy"]
CMD ["serve"]
