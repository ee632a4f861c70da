# syntax=docker/dockerfile:1
# docker build --build-arg VERSION=v1.2.3 --build-arg COMMIT=$(git rev-parse HEAD) \
#   --build-arg SOURCE_DATE_EPOCH=$(git show -s --format=%ct) -t coinslot:v1.2.3 .
#
# The image has only the program and CA certificates: no shell, no package manager
# and no login user.

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY . .
# The builder sets the platform (--platform). A default here would override it and
# put an amd64 program into an arm64 image.
ARG TARGETOS
ARG TARGETARCH
ARG VERSION
ARG COMMIT
ARG SOURCE_DATE_EPOCH
# The same command as make build, so that the bytes equal those of a release archive.
RUN CGO_ENABLED=0 go run -trimpath ./tools/build -out /out/coinslot -platform "$TARGETOS/$TARGETARCH" \
      -version "$VERSION" -commit "$COMMIT"
RUN mkdir -p /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/coinslot /coinslot
# The only writable directory, used only with SQLite.
COPY --from=build --chown=65532:65532 /out/data /data
# A number, so that runAsNonRoot works without /etc/passwd.
USER 65532:65532
WORKDIR /data
VOLUME /data
# The ops listener stays on 127.0.0.1:9090, where HEALTHCHECK reaches it.
ENV COINSLOT_LISTEN=0.0.0.0:8080 COINSLOT_DATABASE=/data/coinslot.db
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s --retries=3 CMD ["/coinslot", "health"]
ENTRYPOINT ["/coinslot"]
CMD ["serve"]
